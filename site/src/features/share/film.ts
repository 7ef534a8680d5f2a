import { CAMERA_MOVEMENTS, makerName, type SharedVideo, sourceOf } from '#backend/tasks/contract.ts'
import { HTML_LANG, type Locale, localizedPath } from '../../i18n/core.ts'
import type { Translate } from '../../i18n/keys.ts'

const TITLE_MAX = 90

/** Returns the first words of a text, with an ellipsis if some are left out. */
function shortened(text: string, max = TITLE_MAX): string {
  const characters = [...text.replace(/\s+/g, ' ').trim()]
  if (characters.length <= max) return characters.join('')
  const words = characters.slice(0, Math.max(characters.lastIndexOf(' ', max - 1), max / 2))
  return `${words.join('').trim()}…`
}

/** Returns what the pages of a shared film say about it, in the page's language. */
export function describeFilm(share: SharedVideo, locale: Locale, t: Translate) {
  const source = sourceOf(share)
  const maker = makerName(share)
  const seconds = Math.round(share.video_duration)
  const movements = share.camera_movements.map((movement) => t(`movements.name.${CAMERA_MOVEMENTS[movement].key}`))
  return {
    source,
    /** Language of the prompt; undefined if the page's own text is the title. */
    language: share.prompt ? HTML_LANG[/\p{Script=Han}/u.test(share.prompt) ? 'zh' : 'en'] : undefined,
    title: share.prompt ? shortened(share.prompt) : t('share.untitled'),
    description: t('share.description', { count: seconds }),
    path: `/v/${share.id}`,
    pagePath: localizedPath(`/v/${share.id}`, locale),
    embedPath: localizedPath(`/v/${share.id}/embed`, locale),
    shape: share.width > share.height ? 'wide' : share.width < share.height ? 'tall' : 'square',
    settings: [
      ...(maker === null ? [] : [maker]),
      share.resolution,
      t('share.seconds', { count: share.duration }),
      ...movements,
    ],
    /** The form of the workspace for a film like this one. */
    draft: {
      taskType: share.task_type === 'join' ? 'text_to_video' : share.task_type,
      model: share.model,
      resolution: share.resolution,
      duration: share.duration,
      prompt: [share.prompt ?? '', movements.length > 0 ? `[${movements.join(locale === 'zh' ? '，' : ', ')}]` : '']
        .filter(Boolean)
        .join(' '),
      promptOptimizer: share.prompt_optimizer,
      image: null,
      aspectRatio: share.aspect_ratio,
      seed: share.seed === null ? '' : String(share.seed),
    },
  }
}
