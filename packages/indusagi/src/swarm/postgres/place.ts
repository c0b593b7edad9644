// Where a board of several machines is. In a file of its own, so that naming a place needs no PostgreSQL package.

/** Where the database is, and which user connects. */
export interface PostgresPlace {
  /** A host name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Called for each connection. */
  readonly password?: (() => string) | undefined;
  /** Absent: not encrypted, which is only for this machine. */
  readonly tls?: { readonly ca?: string } | undefined;
}
