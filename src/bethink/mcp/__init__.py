"""The memory as an MCP server: over stdio, and over HTTP under /mcp."""
