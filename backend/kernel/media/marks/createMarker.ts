import { copyFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import { removeFile, writeAtomically } from '../atomicFile.ts'
import { runFfmpeg } from '../ffmpeg.ts'
import { aigcField, aigcXmp } from './aigcField.ts'
import { readEngineMarks } from './engineMarks.ts'
import { copyManifest, createdManifest, type Origin, type PerhapsOrigin } from './manifest.ts'
import { type Signer, type SigningJob, UnreadableParentError } from './signInThread.ts'

/** The film that a file shows. */
export interface MarkedFilm<From = Origin> {
  readonly taskId: string
  readonly origin: From
}

const VIDEO = 'video/mp4'
const PICTURE = 'image/jpeg'

type MarkOptions = Readonly<{ signal?: AbortSignal | undefined }>

/**
 * Marks files as generated, for machines: with the `AIGC` field of GB 45438-2025 and a signed C2PA manifest. A file is
 * useless after a failure.
 */
export interface Marker {
  /**
   * Marks a video in place, and removes the metadata of the program that made it. Marks of the engine are kept: its
   * manifest as the ingredient of this one if it can be read, its `AIGC` field as a reserved part of this one.
   */
  markVideo(file: string, film: MarkedFilm, options?: MarkOptions): Promise<void>
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

  const sign = (file: string, job: Omit<SigningJob, 'source' | 'target'>) =>
    signer.sign({ source: file, target: file, ...job })

  /** Signs a file without its parent if that cannot be read. */
  const signWithParent = async (
    file: string,
    { taskId, origin: { source, agent } }: MarkedFilm<PerhapsOrigin>,
    job: Omit<SigningJob, 'source' | 'target'>,
  ) =>
    sign(file, job).catch(async (err) => {
      if (!(err instanceof UnreadableParentError) || source === null) throw err
      log.warn({ err, taskId }, 'c2pa manifest of source unreadable, signing without it')
      const { parent: _, ...alone } = job
      await sign(file, { ...alone, manifest: createdManifest({ source, agent }) })
    })

  const writeField = (file: string, field: string, { signal }: MarkOptions) =>
    writeAtomically(file, (target) => runFfmpeg(fieldArguments(file, field, target), { signal, ffmpegPath }))

  return {
    async markVideo(file, film, options = {}) {
      const { taskId, origin } = film
      const { hasManifest, field } = await readEngineMarks(file)
      const delivered = `${file}.delivered`
      try {
        if (hasManifest) await copyFile(file, delivered)
        await writeField(file, fieldOf(taskId, field), options)
        const manifest = hasManifest
          ? copyManifest(taskId, origin, 'The AIGC field was added.')
          : createdManifest(origin)
        await signWithParent(file, film, { format: VIDEO, manifest, ...(hasManifest && { parent: delivered }) })
      } finally {
        if (hasManifest) await removeFile(delivered)
      }
    },

    markPoster: (file, { taskId, origin }) =>
      sign(file, { format: PICTURE, manifest: createdManifest(origin), xmp: aigcXmp(fieldOf(taskId)) }),

    async markCopy(file, film, original, change, options = {}) {
      const { taskId, origin } = film
      await writeField(file, fieldOf(taskId), options)
      await signWithParent(file, film, {
        format: VIDEO,
        manifest: copyManifest(taskId, origin, change),
        parent: original,
      })
    },

    markPosterCopy(file, film, original, change) {
      const { taskId, origin } = film
      const xmp = aigcXmp(fieldOf(taskId))
      const manifest = copyManifest(taskId, origin, change)
      return signWithParent(file, film, { format: PICTURE, manifest, xmp, parent: original })
    },
  }
}

function fieldArguments(file: string, field: string, target: string): string[] {
  return [
    ...['-f', 'mov', '-i', file, '-map', '0:v:0', '-map', '0:a?', '-c', 'copy'],
    ...['-map_metadata', '-1', '-metadata', `AIGC=${field}`],
    ...['-movflags', '+faststart+use_metadata_tags', '-f', 'mp4', target],
  ]
}
