"""What happens to a learner: settings resolved, a loop, a record, a run on disk, sweeps of many."""
