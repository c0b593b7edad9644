/** The variable from which an MCP server's process reads the access token of its login. */
export const LOGIN_VARIABLE = "INDUS_SERVER_LOGIN";
