"""The stages of a campaign, as functions over DataFrames."""
