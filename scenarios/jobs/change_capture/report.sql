SELECT count(*), max(changed) FROM clients;
