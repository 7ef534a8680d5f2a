import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

/** Command prefix or `spawn` ids for running a program without root; both empty if this process is not root. */
export interface Identity {
  readonly prefix: readonly string[]
  readonly ids: { readonly uid?: number; readonly gid?: number }
}

const identities = new Map<string, Identity>()

/**
 * Finds a way to run a program without root, because PostgreSQL refuses to run as root. Prefers a user namespace: files
 * stay owned by root, and other users need no access to parent folders. Falls back to an existing account.
 * @throws Error neither works
 */
export function dropRoot(program: string): Identity {
  const identity = identities.get(program) ?? findIdentity(program)
  identities.set(program, identity)
  return identity
}

function findIdentity(program: string): Identity {
  if (process.getuid?.() !== 0) return { prefix: [], ids: {} }
  const namespace = ['--user', '--map-user=65534', '--map-group=65534', '--']
  if (spawnSync('unshare', [...namespace, program, '--version']).status === 0) {
    return { prefix: ['unshare', ...namespace], ids: {} }
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

/** Changes the owner of a folder and its contents to the given identity. Symbolic links are not followed. */
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
