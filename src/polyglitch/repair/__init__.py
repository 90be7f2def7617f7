"""From a violation to a fix: smaller pairs, repaired outputs, and what to train on."""
