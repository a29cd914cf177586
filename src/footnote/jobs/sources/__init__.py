"""Sources of documents: folders, web addresses, object stores and mailboxes."""
