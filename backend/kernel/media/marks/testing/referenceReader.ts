import { execFile, execFileSync } from 'node:child_process'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { FULL } from '#backend/testing/fullRun.ts'
import { type Judgement, judgementOf } from './readMarks.ts'

const PACKAGE = 'c2pa-python==0.38.1'
const FOLDER = path.join(tmpdir(), `kinora-${PACKAGE}`)
const INSTALL_MS = 5 * 60_000
/** Prints the reports of all files; null for a file without a manifest, an empty text for one that it cannot read. */
const PROGRAM = `
import c2pa, json, sys
def report(file):
    try:
        return c2pa.Reader(file).json()
    except c2pa.C2paError.ManifestNotFound:
        return None
    except c2pa.C2paError:
        return ""
print(json.dumps([report(file) for file in sys.argv[1:]]))
`

/** Why the reference reader of the C2PA project cannot judge here; empty if it can. Installs it once, in the full run. */
export const lacksReference: string = FULL ? install() : 'only in npm run test:full'

function install(): string {
  if (existsSync(FOLDER)) return ''
  const made = `${FOLDER}.${process.pid}`
  try {
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', made, PACKAGE]
    execFileSync('python3', pip, { stdio: 'pipe', timeout: INSTALL_MS })
    // Another file's tests may have finished first.
    if (!existsSync(FOLDER)) renameSync(made, FOLDER)
    return ''
  } catch (error) {
    return `needs python3 and ${PACKAGE}: ${(error as Error).message.split('\n')[0]}`
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

/** Judges files with the reference reader. A file without a manifest is null, one that it cannot read `unreadable`. */
export async function judgeByReference(files: readonly string[]): Promise<(Judgement | null | 'unreadable')[]> {
  const { stdout } = await promisify(execFile)('python3', ['-c', PROGRAM, ...files], {
    env: { PATH: process.env.PATH, PYTHONPATH: FOLDER },
    maxBuffer: 64 << 20,
  })
  const reports = JSON.parse(stdout) as (string | null)[]
  return reports.map((report) => (report === null ? null : report ? judgementOf(report) : 'unreadable'))
}
