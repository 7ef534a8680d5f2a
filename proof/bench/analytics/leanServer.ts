import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'

// A minimal analytics server as a baseline: it inserts one row per visit, each in its own transaction.
const pool = new pg.Pool({ ...JSON.parse(process.argv[2]!), max: 16 })
await pool.query('create table if not exists lean_view (at timestamptz, path text, session_id text)')
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { timestamp, path, session_id } = JSON.parse(Buffer.concat(chunks).toString())
  const values = [timestamp, path, session_id]
  await pool.query({ name: 'lean', text: 'insert into lean_view values ($1, $2, $3)', values })
  response.writeHead(202, { 'content-length': 0 }).end()
})
server.listen(0, '127.0.0.1', () => console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}`))
