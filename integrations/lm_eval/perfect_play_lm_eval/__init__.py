"""Questions with exactly known answers for lm-evaluation-harness: the task is perfect_play.yaml, beside this."""
