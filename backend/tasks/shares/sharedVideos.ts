import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import type { MediaStore } from '../../kernel/media/mediaStore.port.ts'
import { probeMp4 } from '../../kernel/media/probeMp4.ts'
import type { Share, SharedVideo, Task } from '../contract.ts'
import type { VisibleCopies } from '../downloads/visibleCopies.ts'
import type { Works } from '../works.ts'
import type { createShareSignatures, ShareRow, Shares } from './shares.ts'

export interface SharedVideosOptions {
  readonly shares: Shares
  readonly works: Pick<Works, 'readFinished' | 'readShared' | 'view'>
  readonly files: Readonly<{ media: Pick<MediaStore, 'localPath'>; copies: Pick<VisibleCopies, 'film' | 'poster'> }>
  readonly signatures: ReturnType<typeof createShareSignatures>
  /** Returns the name of a user; undefined if the account was deleted. */
  readonly nameOf: (userId: string) => Promise<string | undefined>
  /** Returns why operators removed the public page of a film; undefined if they did not. */
  readonly removalOf: (taskId: string) => Promise<string | undefined>
  /** Opens a case about a film. */
  readonly openReport: (film: { readonly taskId: string; readonly userId: string }, reason: string) => Promise<void>
  readonly publicUrl: () => string
  readonly supportEmail: string
}

export type SharedVideos = ReturnType<typeof createSharedVideos>

/** Returns the share with the row of its video; undefined if the share is unknown or removed, or the video is gone. */
async function findShare({ shares, works, removalOf }: SharedVideosOptions, id: string) {
  const share = await shares.find(id)
  if (!share || (await removalOf(share.taskId)) !== undefined) return undefined
  const row = await works.readShared(share.taskId).catch((error) => {
    if (error instanceof Rejection && error.code === 'not_found') return undefined
    throw error
  })
  return row && { share, row }
}

/** Returns what visitors see of a task. */
const publicTask = (task: Task, showPrompt: boolean) => ({
  prompt: showPrompt ? task.prompt : null,
  video_duration: task.video_duration ?? task.duration,
  created_at: task.created_at,
  task_type: task.task_type,
  model: task.model,
  engine: task.engine,
  engine_model: task.engine_model,
  resolution: task.resolution,
  duration: task.duration,
  prompt_optimizer: task.prompt_optimizer,
  camera_movements: showPrompt ? task.camera_movements : [],
  aspect_ratio: task.aspect_ratio,
  seed: showPrompt ? task.seed : null,
})

const shareViewOf = ({ id, showPrompt, showName, views }: ShareRow, publicUrl: string): Share => ({
  url: `${publicUrl}/v/${id}`,
  show_prompt: showPrompt,
  show_name: showName,
  views,
})

/** What a page is to show; undefined leaves it as it is. */
type Shown = Readonly<Partial<Record<'showPrompt' | 'showName', boolean | undefined>>>

/** @throws Rejection share_removed */
function refuseRemoved(why: string | undefined): void {
  if (why !== undefined) throw new Rejection('share_removed', 'The operators removed the public page of this film.')
}

/** What visitors report to operators, and what operators removed. */
const createReports = (options: SharedVideosOptions) => ({
  /** Returns whether operators removed a public page. */
  async isRemoved(id: string): Promise<boolean> {
    const share = await options.shares.find(id)
    return share !== undefined && (await options.removalOf(share.taskId)) !== undefined
  },

  /** Reports a film to the operators. @throws Rejection not_found */
  async report(id: string, reason: string): Promise<void> {
    const found = await findShare(options, id)
    if (!found) throw new Rejection('not_found', 'This video is not shared.')
    await options.openReport(found.share, reason)
  },
})

/** Creates the service that shares videos. A share ends with its video and with the account of its owner. */
export function createSharedVideos(options: SharedVideosOptions) {
  const { shares, works, files, signatures, nameOf, removalOf, publicUrl, supportEmail } = options

  const shareView = (row: ShareRow) => shareViewOf(row, publicUrl())

  /** Returns the row of the video of a signed address. @throws Rejection not_found */
  const findSigned = async (id: string, signature: string) => {
    const found = signatures.isValid(id, signature) ? await findShare(options, id) : undefined
    if (!found) throw new Rejection('not_found', 'This video is not shared.')
    return found.row
  }

  return {
    /** Shares a user's finished video. @throws Rejection not_found, forbidden, share_removed */
    async share(userId: string, taskId: string, { showPrompt, showName: wish }: Shown) {
      const row = await works.readFinished(userId, taskId)
      refuseRemoved(await removalOf(row.id))
      // Makes the copy that visitors will get, so that the first of them does not wait.
      const { width, height } = await probeMp4(await files.media.localPath(await files.copies.film(row)))
      // The film stays with who paid, and so does its share.
      const video = row.payer_id ? { ...row, user_id: row.payer_id } : row
      // The name is the maker's, who alone decides to show it.
      const showName = wish && row.user_id !== userId ? undefined : wish
      return shareView(await shares.share({ video, width, height, showPrompt, showName }))
    },

    /** Returns the share of a user's video, and why operators removed it. @throws Rejection not_found, forbidden */
    async read(userId: string, taskId: string): Promise<{ share: Share | null; removed?: string }> {
      const { id } = await works.readFinished(userId, taskId)
      const removed = await removalOf(id)
      if (removed !== undefined) return { share: null, removed }
      const share = await shares.ofTask(id)
      return { share: share ? shareView(share) : null }
    },

    ...createReports(options),

    /** Returns what the public page shows; undefined if there is no such share. */
    async view(id: string): Promise<SharedVideo | undefined> {
      const found = await findShare(options, id)
      if (!found) return undefined
      const { share, row } = found
      if ((await nameOf(share.userId)) === undefined) return undefined
      const name = share.showName ? await nameOf(row.user_id) : undefined
      const task = await works.view(row)
      const address = (file: string) => `/v/${id}/${file}?signature=${signatures.sign(id)}`
      return {
        id,
        // A name may be an email address, which pages never show.
        name: name?.includes('@') ? null : (name ?? null),
        video_url: address('film.mp4'),
        poster_url: address('poster.jpg'),
        width: share.width,
        height: share.height,
        ...publicTask(task, share.showPrompt),
        support_email: supportEmail,
      }
    },

    /** Returns the key of the film, with the marks that its owner's plan requires. @throws Rejection not_found */
    async filmKey(id: string, signature: string): Promise<string> {
      return files.copies.film(await findSigned(id, signature))
    },

    /** Returns the key of the poster, with the same marks. @throws Rejection not_found */
    async posterKey(id: string, signature: string): Promise<string> {
      return files.copies.poster(await findSigned(id, signature))
    },
  }
}
