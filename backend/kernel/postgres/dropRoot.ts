import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

/** How a program is run so that it does not see itself as root: a command put before it, or ids for `spawn`, or neither. */
export interface Identity {
  readonly prefix: readonly string[]
  readonly ids: { readonly uid?: number; readonly gid?: number }
}

const asWeAre: Identity = { prefix: [], ids: {} }

/**
 * PostgreSQL refuses to run as root. A user namespace is tried first: root outside, `nobody` inside, so files stay ours
 * and the folders above may be closed to others. Where namespaces are forbidden an existing account is used.
 */
export function dropRoot(program: string): Identity {
  if (process.getuid?.() !== 0) return asWeAre
  const namespace = ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--']
  if (spawnSync(namespace[0]!, [...namespace.slice(1), program, '--version']).status === 0) {
    return { prefix: namespace, ids: {} }
  }
  for (const account of ['postgres', 'nobody']) {
    const ids = idsOf(account)
    if (ids && spawnSync(program, ['--version'], { ...ids, cwd: '/' }).status === 0) return { prefix: [], ids }
  }
  throw new Error(
    `PostgreSQL cannot run as root, and neither a user namespace nor an account that can reach ${program} is available: ` +
      'run as a normal user or set DATABASE_URL',
  )
}

/** Makes a folder and all it holds belong to whoever the program runs as. Links are changed, not followed. */
export function changeOwner(folder: string, { ids }: Identity): void {
  const uid = ids.uid ?? process.getuid?.()
  const gid = ids.gid ?? process.getgid?.()
  if (uid === undefined || gid === undefined || fs.statSync(folder).uid === uid) return
  if (process.getuid?.() !== 0) throw new Error(`${folder} belongs to another user: remove it or run as its owner`)
  for (const entry of fs.readdirSync(folder, { recursive: true })) {
    fs.lchownSync(path.join(folder, String(entry)), uid, gid)
  }
  fs.chownSync(folder, uid, gid)
}

function idsOf(account: string): { uid: number; gid: number } | undefined {
  try {
    const id = (flag: string) => Number(execFileSync('id', [flag, account], { stdio: 'pipe' }))
    return { uid: id('-u'), gid: id('-g') }
  } catch {
    return undefined
  }
}
