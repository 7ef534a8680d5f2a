import { imageKey, posterKey, watermarkedStillKey } from '../../kernel/media/mediaStore.port.ts'
import type { Film } from '../contract.ts'
import { createVideoCopies, type VideoCopies } from './videoCopies.ts'
import type { Labels } from './visibleLabels.ts'

interface VisibleCopiesOptions extends VideoCopies {
  readonly labels: Pick<Labels, 'isRequired'>
  /** Returns whether the user's plan requires a watermark. */
  readonly watermarks: (userId: string) => Promise<boolean>
}

/** Marks that the recipient asks for; undefined is the default of plan and policy. */
type Wish = Readonly<{ watermark?: boolean; label?: boolean | undefined }>

const payerOf = ({ user_id, payer_id }: Film): string => payer_id ?? user_id

export type VisibleCopies = ReturnType<typeof createVisibleCopies>

/**
 * Creates the only door to the files of finished videos: it returns the key of a file with the marks that today's plan of
 * the owner and the label policy require. See docs/decisions/0058-marked-on-every-road.md.
 */
export function createVisibleCopies({ labels, watermarks, ...options }: VisibleCopiesOptions) {
  const copies = createVideoCopies(options)

  /** Returns the key of a video. @throws Rejection label_required, not_found */
  const film = async (of: Film, wish: Wish = {}): Promise<string> =>
    copies.film(of, {
      watermark: wish.watermark === true || (await watermarks(payerOf(of))),
      label: await labels.isRequired(of.user_id, of.id, wish.label),
    })

  /** Returns the key of the poster of a video. @throws Rejection not_found */
  const poster = async (of: Film): Promise<string> =>
    (await watermarks(payerOf(of))) ? copies.watermarkedPoster(of) : posterKey(of.id)

  return {
    film,
    poster,

    /** Returns the key of an image that a user has uploaded, or has taken from a video. */
    async image(userId: string, imageId: string): Promise<string> {
      const watermarked = watermarkedStillKey(imageId)
      const isMarked = (await watermarks(userId)) && (await options.media.size(watermarked)) !== undefined
      return isMarked ? watermarked : imageKey(imageId)
    },

    /** Makes the copies that viewers of a new video will get, so that the first of them does not wait. */
    async prepare(of: Film): Promise<void> {
      await Promise.all([film(of), poster(of)])
    },
  }
}
