// Where a board of several machines is. It stands by itself: whoever names it needs no package of PostgreSQL for that.

/** Where the database is, and as whom it is asked. */
export interface PostgresPlace {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Asked for at each connection. */
  readonly password?: () => string;
  /** Absent: not encrypted, which is for this machine alone. */
  readonly tls?: { readonly ca?: string };
}
