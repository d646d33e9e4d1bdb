INSERT INTO crm.visits SELECT 'report', NULL, sum(n) FROM crm.visits WHERE kind = 'visit';
