INSERT INTO silver.readings SELECT id, at, v FROM bronze.old_readings;
