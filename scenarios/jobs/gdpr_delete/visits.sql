INSERT INTO crm.visits SELECT user_id, day, page FROM landing.visits;
