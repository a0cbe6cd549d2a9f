"""Legacy reasoning: four tools that stay for those who use them, and say what replaces them."""
