import { execFile } from 'node:child_process'
import { existsSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { Skipped } from './part.ts'

const run = promisify(execFile)

interface Environment {
  /** Path of the interpreter. */
  readonly python: string
  /** Folder of an unpacked wheel by the name of its package. */
  readonly wheels: Readonly<Record<string, string>>
}

/**
 * Returns a Python interpreter with packages, and other wheels unpacked without what they depend on. Both come from the package index, once.
 * @param packages requirements such as `fastapi==0.120.0`
 * @throws Skipped without Python, or if the index is out of reach
 */
export async function preparePython(
  cache: string,
  packages: readonly string[],
  wheels: readonly string[],
): Promise<Environment> {
  const home = path.join(cache, 'python')
  const python = path.join(home, 'bin/python')
  try {
    if (!existsSync(python)) await run('python3', ['-m', 'venv', home])
    if (packages.length > 0) await run(python, ['-m', 'pip', 'install', '--quiet', ...packages])
    const folders = await Promise.all(
      wheels.map(async (wheel) => [wheel.split('==')[0]!, await unpack(python, cache, wheel)] as const),
    )
    return { python, wheels: Object.fromEntries(folders) }
  } catch (error) {
    const { message, stderr } = error as Error & { stderr?: string }
    throw new Skipped(`Python with its packages cannot be had: ${stderr?.trim().split('\n').at(-1) || message}`)
  }
}

async function unpack(python: string, cache: string, wheel: string): Promise<string> {
  const folder = path.join(cache, wheel)
  if (existsSync(folder)) return folder
  const part = `${folder}.part`
  rmSync(part, { recursive: true, force: true })
  await run(python, ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary', ':all:', '--dest', part, wheel])
  const code =
    'import glob,sys,zipfile\nfor w in glob.glob(sys.argv[1]+"/*.whl"): zipfile.ZipFile(w).extractall(sys.argv[1])'
  await run(python, ['-c', code, part])
  renameSync(part, folder)
  return folder
}
