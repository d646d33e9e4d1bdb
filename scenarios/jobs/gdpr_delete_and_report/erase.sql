DELETE FROM crm.visits WHERE kind = 'visit' AND user_id = :user;
