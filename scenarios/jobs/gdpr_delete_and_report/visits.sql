INSERT INTO crm.visits VALUES ('visit', :user, 1);
