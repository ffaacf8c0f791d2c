"""Erasing: every trace of something, gone, with a proof and a receipt."""
