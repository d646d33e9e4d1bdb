MERGE INTO crm.visits v USING (SELECT DISTINCT user_id FROM crm.requests WHERE status = 'open') r
ON v.user_id = r.user_id WHEN MATCHED THEN DELETE;
