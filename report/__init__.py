"""What people read: the audit of the rule books."""
