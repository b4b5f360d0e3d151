"""Programs in any language as agents, and our agents as engines for other programs."""
