"""Learning to play: networks, PPO, self-play, checkpoints. Needs PyTorch (`pip install spielwerk[train]`)."""
