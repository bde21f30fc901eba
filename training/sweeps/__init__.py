"""Many runs: what a sweep file asks for, the folder, the workers, the tables."""
