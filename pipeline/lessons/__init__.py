"""What histories show of the rules of a profile: the measure by which replays are chosen."""
