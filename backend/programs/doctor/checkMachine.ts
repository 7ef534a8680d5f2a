import { lookup } from 'node:dns/promises'
import { accessSync, constants, existsSync, mkdirSync, statfsSync } from 'node:fs'
import type { Config } from '../../app/config/readConfig.ts'
import { certificateExpiry } from '../../kernel/certificateExpiry.ts'
import { isLoopback } from '../../kernel/isLoopback.ts'
import { describeFfmpeg } from '../../kernel/media/ffmpeg.ts'
import type { Check } from './check.ts'

const MIN_FREE_BYTES = 2e9
const MIN_CERTIFICATE_DAYS = 14
const DAY_MS = 86_400_000

async function examineDisk(dataDir: string): Promise<string> {
  if (!existsSync(dataDir)) mkdirSync(dataDir, { recursive: true })
  accessSync(dataDir, constants.W_OK)
  const { bavail, bsize } = statfsSync(dataDir)
  const free = bavail * bsize
  if (free < MIN_FREE_BYTES) throw new Error(`only ${Math.round(free / 1e6)} MB are free in ${dataDir}`)
  return `${Math.round(free / 1e9)} GB are free in ${dataDir}`
}

async function examineFfmpeg(explicitPath: string | undefined): Promise<string> {
  const { version, isPackaged } = await describeFfmpeg(explicitPath)
  return isPackaged ? `${version}, packaged, of 2018: install ffmpeg 5 or newer for security updates` : version
}

async function examineAddress(publicUrl: string | undefined): Promise<string> {
  const url = publicUrl ? new URL(publicUrl) : undefined
  if (!url || isLoopback(url.hostname)) return 'this machine alone'
  const { address } = await lookup(url.hostname)
  if (url.protocol !== 'https:') return `${url.hostname} is ${address}, without TLS`
  const days = Math.floor(((await certificateExpiry(url)) - Date.now()) / DAY_MS)
  if (days < MIN_CERTIFICATE_DAYS) throw new Error(`the certificate of ${url.hostname} expires in ${days} days`)
  return `${url.hostname} is ${address}, and its certificate is valid for ${days} days`
}

/** The checks of the disk, ffmpeg, the name and the certificate. */
export const machineChecks = ({ dataDir, http, video }: Config): Check[] => [
  {
    name: 'disk',
    examine: () => examineDisk(dataDir),
    advice: 'Free some space, or set DATA_DIR to a folder that this user may write.',
  },
  { name: 'ffmpeg', examine: () => examineFfmpeg(video.ffmpegPath), advice: 'Install ffmpeg, or set FFMPEG_PATH.' },
  {
    name: 'address',
    examine: () => examineAddress(http.publicUrl),
    advice:
      'Point the domain to this machine, and open the ports 80 and 443, over which the entry obtains a certificate.',
  },
]
