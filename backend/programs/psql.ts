import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { ConfigError } from '../app/config/environment.ts'
import { withFiles } from '../app/config/settingFiles.ts'
import { runProgram } from '../kernel/commandLine.ts'
import { connectInstallation, NoLedger } from './ledger/connectInstallation.ts'

const EMBEDDED = 'It is a socket of this machine, without a password, open while Kinora runs.'

/** Returns the address for psql, its password apart, because the arguments of a program are public. */
async function findDatabase(given: NodeJS.ProcessEnv) {
  const { DATABASE_URL } = withFiles(given)
  if (DATABASE_URL) {
    const url = URL.parse(DATABASE_URL)
    if (!url)
      throw new ConfigError('DATABASE_URL: must be an address such as postgres://user:password@host:5432/kinora')
    const password = decodeURIComponent(url.password)
    url.password = ''
    const secret = password ? { PGPASSWORD: password } : {}
    return { target: url.href, secret, hint: 'The password is in DATABASE_URL.', stop: async () => {} }
  }
  const { place, stop } = await connectInstallation(given)
  const { host, port, user, database } = place.postgres
  const target = `postgresql://${user}@/${database}?host=${encodeURIComponent(host ?? '')}&port=${port}`
  return { target, secret: {}, hint: EMBEDDED, stop }
}

/**
 * Opens a shell on the database of the installation, with the psql on PATH, or prints how to connect. The embedded
 * database is started if Kinora does not run. Returns psql's exit code, or 1 without it.
 */
export function runPsql(args: readonly string[], env: NodeJS.ProcessEnv, print: (text: string) => void) {
  return runProgram({ usage: '', expected: [NoLedger, ConfigError], print }, async () => {
    const { target, secret, hint, stop } = await findDatabase(env)
    try {
      const shell = spawn('psql', [target, ...args], { env: { ...env, ...secret }, stdio: 'inherit' })
      // psql cancels its query on Ctrl-C, which reaches only this process. It must outlive psql.
      const cancel = () => shell.kill('SIGINT')
      process.on('SIGINT', cancel)
      const [code] = await once(shell, 'close').finally(() => process.off('SIGINT', cancel))
      return code ?? 1
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      print(
        `There is no psql on PATH. Install it (Debian: apt-get install postgresql-client), or connect another client:\n\n  ${target}\n\n${hint}`,
      )
      return 1
    } finally {
      await stop()
    }
  })
}

if (import.meta.main) process.exitCode = await runPsql(process.argv.slice(2), process.env, console.log)
