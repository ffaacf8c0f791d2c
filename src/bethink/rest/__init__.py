"""The REST surface: one router per noun, problem documents for every error, all of it in OpenAPI."""
