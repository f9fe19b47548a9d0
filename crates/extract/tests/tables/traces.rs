//! Agent traces, read by the loader of Hugging Face.
