import pg from 'pg'

/** Connects a client. If the connection is lost, the next query fails; without a listener, the process would end. */
export async function connectClient(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config)
  client.on('error', () => {})
  await client.connect()
  return client
}
