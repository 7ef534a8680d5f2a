import { copyFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import { must } from '../../must.ts'
import { removeFile, writeAtomically } from '../atomicFile.ts'
import { runFfmpeg } from '../ffmpeg.ts'
import { aigcField, aigcXmp } from './aigcField.ts'
import { readEngineMarks } from './engineMarks.ts'
import {
  copyManifest,
  createdManifest,
  joinedManifest,
  type Origin,
  type PerhapsOrigin,
  type ReceiptAssertion,
} from './manifest.ts'
import { type Signed, type Signer, type SigningJob, UnreadableParentError } from './signInThread.ts'

/** The film that a file shows. */
export interface MarkedFilm<From = Origin> {
  readonly taskId: string
  readonly origin: From
  /** What an original says of its charge. Copies have it in the manifest of their original. */
  readonly receipt?: ReceiptAssertion | undefined
}

const VIDEO = 'video/mp4'
const PICTURE = 'image/jpeg'

type Job = Omit<SigningJob, 'source' | 'target'>
type MarkOptions = Readonly<{ signal?: AbortSignal | undefined }>
/** The film that a joined film has a part of, and its file. */
export type Part = Readonly<{ taskId: string; file: string }>

/**
 * Marks files as generated, for machines: with the `AIGC` field of GB 45438-2025 and a signed C2PA manifest. A file is
 * useless after a failure.
 */
export interface Marker {
  /**
   * Marks a video in place, and removes the metadata of the program that made it. Marks of the engine are kept: its
   * manifest as the ingredient of this one if it can be read, its `AIGC` field as a reserved part of this one. The films of
   * which it has parts become ingredients. Returns the hash of the marked file.
   */
  markVideo(file: string, film: MarkedFilm, options?: MarkOptions & { parts?: readonly Part[] }): Promise<Signed>
  /** Marks a JPEG in place. */
  markPoster(file: string, film: MarkedFilm): Promise<void>
  /** Marks a copy of a stored video in place. `change` says in English what differs. */
  markCopy(
    file: string,
    film: MarkedFilm<PerhapsOrigin>,
    original: string,
    change: string,
    options?: MarkOptions,
  ): Promise<void>
  /** Marks a copy of a stored JPEG in place. */
  markPosterCopy(file: string, film: MarkedFilm<PerhapsOrigin>, original: string, change: string): Promise<void>
}

/** Creates the marker of an installation. `producer` is the name or code of its operator. */
export function createMarker(
  signer: Signer,
  producer: string,
  ffmpegPath: string | undefined,
  log: Pick<Logger, 'warn'>,
): Marker {
  const fieldOf = (taskId: string, engine?: string) => aigcField({ producer, id: taskId, ...(engine && { engine }) })
  const { sign, signWithParent, mark } = createFileSigner(signer, ffmpegPath, log)

  return {
    async markVideo(file, film, { parts, ...options } = {}) {
      if (parts && parts.length > 0) {
        const titles = parts.map((part) => part.taskId)
        const job = {
          manifest: joinedManifest(film.origin, titles, film.receipt),
          parts: parts.map((part) => part.file),
        }
        return mark(file, film, { field: fieldOf(film.taskId), ...job }, options)
      }
      const engine = await readEngineMarks(file)
      const manifest = originalManifest(film, engine.hasManifest)
      const parent = engine.hasManifest ? { parent: file } : {}
      return mark(file, film, { field: fieldOf(film.taskId, engine.field), manifest, ...parent }, options)
    },

    async markPoster(file, { taskId, origin, receipt }) {
      await sign(file, { format: PICTURE, manifest: createdManifest(origin, receipt), xmp: aigcXmp(fieldOf(taskId)) })
    },

    async markCopy(file, film, original, change, options = {}) {
      const manifest = copyManifest(film.taskId, film.origin, change)
      await mark(file, film, { field: fieldOf(film.taskId), manifest, parent: original }, options)
    },

    async markPosterCopy(file, film, original, change) {
      const { taskId, origin } = film
      const about = { manifest: copyManifest(taskId, origin, change), xmp: aigcXmp(fieldOf(taskId)) }
      await signWithParent(file, film, { format: PICTURE, ...about, parent: original })
    },
  }
}

/** Creates the functions that sign a file in place. `mark` also adds the `AIGC` field. */
function createFileSigner(signer: Signer, ffmpegPath: string | undefined, log: Pick<Logger, 'warn'>) {
  const sign = (file: string, job: Job) => signer.sign({ source: file, target: file, ...job })

  /** Signs a file without its parent if that cannot be read. */
  const signWithParent = (
    file: string,
    { taskId, receipt, origin: { source, agent } }: MarkedFilm<PerhapsOrigin>,
    job: Job,
  ) =>
    sign(file, job).catch(async (err) => {
      if (!(err instanceof UnreadableParentError) || source === null) throw err
      log.warn({ err, taskId }, 'c2pa manifest of source unreadable, signing without it')
      const { parent: _, parts: __, ...alone } = job
      return sign(file, { ...alone, manifest: createdManifest({ source, agent }, receipt) })
    })

  const writeField = (file: string, field: string, { signal }: MarkOptions) =>
    writeAtomically(file, (target) => runFfmpeg(fieldArguments(file, field, target), { signal, ffmpegPath }))

  /** Adds the field to a video and signs it. */
  const mark = async (
    file: string,
    film: MarkedFilm<PerhapsOrigin>,
    { field, ...job }: Pick<SigningJob, 'manifest' | 'parent' | 'parts'> & { readonly field: string },
    options: MarkOptions,
  ): Promise<Signed> => {
    const signed = await signWithParent(file, film, { ...job, format: VIDEO, field })
    if (signed) return signed
    const before = `${file}.delivered`
    try {
      if (job.parent === file) await copyFile(file, before)
      await writeField(file, field, options)
      const parent = job.parent === file ? { parent: before } : {}
      return must(await signWithParent(file, film, { ...job, ...parent, format: VIDEO }), 'signed file')
    } finally {
      await removeFile(before)
    }
  }

  return { sign, signWithParent, mark }
}

/** Returns the manifest of an original. An engine that wrote one has made its parent. */
const originalManifest = ({ taskId, origin, receipt }: MarkedFilm, hasManifest: boolean) =>
  hasManifest ? copyManifest(taskId, origin, 'The AIGC field was added.', receipt) : createdManifest(origin, receipt)

function fieldArguments(file: string, field: string, target: string): string[] {
  return [
    ...['-f', 'mov', '-i', file, '-map', '0:v:0', '-map', '0:a?', '-c', 'copy'],
    ...['-map_metadata', '-1', '-metadata', `AIGC=${field}`],
    ...['-movflags', '+faststart+use_metadata_tags', '-f', 'mp4', target],
  ]
}
