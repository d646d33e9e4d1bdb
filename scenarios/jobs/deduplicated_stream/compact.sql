OPTIMIZE silver.clicks;
