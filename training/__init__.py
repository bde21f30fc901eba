"""What happens to a learner: `train(resolve(env="number-flip"))` trains it, in memory or into the folder of a `Run`."""

from training.loop import Training, train
from training.resolve import Settings, resolve
from training.run import Run

__all__ = ["Run", "Settings", "Training", "resolve", "train"]
