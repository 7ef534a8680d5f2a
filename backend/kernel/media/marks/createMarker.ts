import { copyFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import { removeFile, writeAtomically } from '../atomicFile.ts'
import { runFfmpeg } from '../ffmpeg.ts'
import { aigcField, aigcXmp } from './aigcField.ts'
import { readEngineMarks } from './engineMarks.ts'
import { copyManifest, createdManifest } from './manifest.ts'
import { type Signer, type SigningJob, UnreadableParentError } from './signInThread.ts'

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
  markVideo(file: string, taskId: string, options?: MarkOptions): Promise<void>
  /** Marks a JPEG in place. */
  markPoster(file: string, taskId: string): Promise<void>
  /** Marks a copy of a stored video in place. `change` says in English what differs. */
  markCopy(file: string, taskId: string, original: string, change: string, options?: MarkOptions): Promise<void>
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

  const signVideo = async (file: string, taskId: string, job: Pick<SigningJob, 'manifest' | 'parent'>) => {
    const format = 'video/mp4'
    await sign(file, { format, ...job }).catch(async (err) => {
      if (!(err instanceof UnreadableParentError)) throw err
      log.warn({ err, taskId }, 'c2pa manifest of source unreadable, signing without it')
      await sign(file, { format, manifest: createdManifest() })
    })
  }

  const writeField = (file: string, field: string, { signal }: MarkOptions) =>
    writeAtomically(file, (target) => runFfmpeg(fieldArguments(file, field, target), { signal, ffmpegPath }))

  return {
    async markVideo(file, taskId, options = {}) {
      const { hasManifest, field } = await readEngineMarks(file)
      const delivered = `${file}.delivered`
      try {
        if (hasManifest) await copyFile(file, delivered)
        await writeField(file, fieldOf(taskId, field), options)
        const manifest = hasManifest ? copyManifest(taskId, 'The AIGC field was added.') : createdManifest()
        await signVideo(file, taskId, { manifest, ...(hasManifest && { parent: delivered }) })
      } finally {
        if (hasManifest) await removeFile(delivered)
      }
    },

    markPoster: (file, taskId) =>
      sign(file, { format: 'image/jpeg', manifest: createdManifest(), xmp: aigcXmp(fieldOf(taskId)) }),

    async markCopy(file, taskId, original, change, options = {}) {
      await writeField(file, fieldOf(taskId), options)
      await signVideo(file, taskId, { manifest: copyManifest(taskId, change), parent: original })
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
