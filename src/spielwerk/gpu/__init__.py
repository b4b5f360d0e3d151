"""Batches whose games live on a GPU: the same rules, compiled for it; no CUDA is needed to install or import this."""
