import pg from 'pg'

/** What is wrong with an address that is not an {@link isDatabaseUrl}. Does not quote it, because it contains a password. */
export const NO_DATABASE_URL =
  'is not an address such as postgres://user:password@host:5432/kinora, in which other characters of a password are ' +
  'encoded, such as %23 for #'

/** Returns whether the driver can parse the address of a database. */
export function isDatabaseUrl(url: string): boolean {
  try {
    return /^postgres(ql)?:\/\//.test(url) && Boolean(new pg.Client({ connectionString: url }))
  } catch {
    return false
  }
}
