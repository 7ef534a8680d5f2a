/** The texts around the reference, whose calls are described in English. */
const TEXTS = {
  en: {
    ...{ home: 'Home', workspace: 'Workspace', docs: 'Documentation', heading: 'Kinora API', key: 'API key' },
    ...{
      find: 'Find a call',
      hint: 'tasks, POST, credits …',
      found: '{n} of {all} calls',
      copy: 'Copy',
      copied: 'Copied',
    },
    ...{ openapi: 'OpenAPI description', postman: 'Postman collection', other: '中文', nav: 'Pages' },
    lead: 'Generated from the contracts that the server validates against. Calls are real: they are sent as the user who is signed in in this browser, or with an API key.',
  },
  zh: {
    ...{ home: '首页', workspace: '创作台', docs: '文档', heading: 'Kinora API', key: 'API 密钥' },
    ...{
      find: '查找接口',
      hint: 'tasks、POST、credits …',
      found: '{all} 个接口中的 {n} 个',
      copy: '复制',
      copied: '已复制',
    },
    ...{ openapi: 'OpenAPI 描述', postman: 'Postman 集合', other: 'English', nav: '页面' },
    lead: '由服务器用来校验的契约生成，接口说明为英文。调用是真实的：以此浏览器中登录的用户身份发送，或使用 API 密钥。',
  },
}

const stored = () => {
  try {
    return localStorage.getItem('language')
  } catch {
    return null
  }
}
const isChinese = /^zh/i.test(stored() ?? navigator.language)
const prefix = isChinese ? '/zh' : ''
export const texts = TEXTS[isChinese ? 'zh' : 'en']

/** Puts the texts into the page, and its links into the language. */
export function showTexts() {
  document.documentElement.lang = isChinese ? 'zh-CN' : 'en'
  for (const node of document.querySelectorAll('[data-text]')) node.textContent = texts[node.dataset.text]
  for (const link of document.querySelectorAll('a[data-page]')) link.href = `${prefix}${link.dataset.page}` || '/'
  document.getElementById('filter').placeholder = texts.hint
  document.querySelector('nav').ariaLabel = texts.nav
  document.getElementById('language').addEventListener('click', () => {
    try {
      localStorage.setItem('language', isChinese ? 'en' : 'zh')
    } catch {
      return
    }
    location.reload()
  })
}
