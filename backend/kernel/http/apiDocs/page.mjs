import { exampleOf, typeText } from './schemaText.mjs'
import { showTexts, texts } from './texts.mjs'

const root = document.getElementById('calls')
const filter = document.getElementById('filter')
const found = document.getElementById('found')
const key = document.getElementById('key')

/** Creates an element with properties and children; strings become text, never markup. */
function element(name, properties = {}, ...children) {
  const created = Object.assign(document.createElement(name), properties)
  created.append(...children.filter((child) => child !== null))
  return created
}

/** Makes elements of the `code` in a text. */
const withCode = (text) => text.split('`').map((part, n) => (n % 2 ? element('code', { textContent: part }) : part))

/** A text with a button that copies it. */
function copied(textContent) {
  const button = element('button', { type: 'button', className: 'copy', textContent: texts.copy })
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(textContent)
    button.textContent = texts.copied
  })
  return element('div', { className: 'copied' }, element('pre', { tabIndex: 0, textContent }), button)
}

const heading = (text) => element('h3', { textContent: text })
const jsonOf = (content) => content?.['application/json']?.schema

function render({ paths, servers }) {
  const base = new URL(servers[0].url, location.href).pathname
  const groups = new Map()
  for (const [path, methods] of Object.entries(paths))
    for (const [method, call] of Object.entries(methods)) {
      const name = path.split('/')[1]
      // The routes for programs are not below the address of the others.
      const at = call.servers ? new URL(call.servers[0].url, location.href).pathname.replace(/\/$/, '') : base
      groups.set(name, [...(groups.get(name) ?? []), renderCall(at, path, method.toUpperCase(), call)])
    }
  for (const [name, calls] of groups)
    root.append(element('section', {}, element('h2', { textContent: name }), ...calls))
  applyFilter()
  const linked = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (linked) linked.open = true
}

/** Says who may call. */
function doorText(security) {
  const names = { session: 'signed in', key: 'API key', connection: 'OAuth', operator: 'operator' }
  const doors = security.map((way) => names[Object.keys(way)[0]])
  return doors.length > 0 ? ` · ${doors.join(' or ')}` : null
}

function renderCall(base, path, method, call) {
  const id = `${method}${path}`
  const title = element(
    'summary',
    {},
    element('code', { className: 'method', textContent: method }),
    element('code', { textContent: path }),
    element('span', {}, ...withCode(call.summary), doorText(call.security)),
  )
  const body = element('div', { className: 'body' })
  const details = element('details', { id }, title, body)
  details.dataset.text = `${id} ${call.summary}`.toLowerCase()
  // The form is rendered when the details are first opened.
  details.addEventListener('toggle', () => {
    if (details.open && body.childElementCount === 0) body.append(...renderForm(base, path, method, call))
  })
  return details
}

function renderForm(base, path, method, { parameters = [], requestBody, responses }) {
  const id = (name) => `${method}${path}-${name}`
  const inputs = parameters.map((parameter) => {
    const { name, required, schema } = parameter
    const type = typeText(schema)
    const label = element('label', { htmlFor: id(name), textContent: `${name}${required ? '' : '?'}: ${type}` })
    return { parameter, label, input: element('input', { id: id(name), autocomplete: 'off' }) }
  })
  const sent = jsonOf(requestBody?.content)
  const example = JSON.stringify(exampleOf(sent), null, 2)
  const body =
    sent && element('textarea', { id: id('body'), rows: Math.min(16, example.split('\n').length + 1), value: example })
  const [status, answer] = Object.entries(responses).find(([code]) => code !== 'default')
  const returned = jsonOf(answer.content)
  const output = element('div', { role: 'status' })
  const button = element('button', { type: 'button', textContent: `Send ${method}` })
  button.addEventListener('click', async () => {
    button.disabled = true
    const values = inputs.map(({ parameter, input }) => ({ ...parameter, value: input.value }))
    output.replaceChildren(...(await send(base, path, method, values, body?.value)))
    button.disabled = false
  })
  return [
    ...inputs.flatMap(({ label, input }) => [label, input]),
    ...(sent
      ? [
          heading('Body'),
          copied(typeText(sent)),
          element('label', { htmlFor: id('body'), textContent: 'JSON to send' }),
          body,
        ]
      : []),
    heading(`Answer ${status}`),
    returned ? copied(typeText(returned)) : element('pre', { textContent: 'no body, or a file' }),
    button,
    output,
  ]
}

async function send(base, path, method, values, body) {
  const query = new URLSearchParams(
    values.filter((each) => each.in === 'query' && each.value !== '').map(({ name, value }) => [name, value]),
  )
  const filled = values.reduce(
    (text, { name, value }) => text.replace(`{${name}}`, encodeURIComponent(value || '-')),
    path,
  )
  const start = performance.now()
  try {
    const answer = await fetch(`${base}${filled}${query.size > 0 ? `?${query}` : ''}`, {
      method,
      credentials: 'same-origin',
      ...(body === undefined ? {} : { body }),
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key.value === '' ? {} : { authorization: `Bearer ${key.value}` }),
      },
    })
    const line = `${answer.status} ${answer.statusText} · ${Math.round(performance.now() - start)} ms · request ${answer.headers.get('x-request-id')}`
    return [element('p', { className: answer.ok ? 'good' : 'bad', textContent: line }), copied(await textOf(answer))]
  } catch (error) {
    return [element('p', { className: 'bad', textContent: `No answer: ${error.message}` })]
  }
}

async function textOf(answer) {
  const type = answer.headers.get('content-type') ?? ''
  if (!/json|text/.test(type)) return `${type || 'nothing'}, ${(await answer.blob()).size} bytes`
  const text = await answer.text()
  return /json/.test(type) ? JSON.stringify(JSON.parse(text), null, 2) : text
}

function applyFilter() {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean)
  const calls = [...root.querySelectorAll('details')]
  for (const call of calls) call.hidden = !words.every((word) => call.dataset.text.includes(word))
  for (const section of root.querySelectorAll('section'))
    section.hidden = [...section.querySelectorAll('details')].every(({ hidden }) => hidden)
  found.textContent = texts.found
    .replace('{n}', calls.filter(({ hidden }) => !hidden).length)
    .replace('{all}', calls.length)
}

showTexts()
filter.addEventListener('input', applyFilter)
try {
  render(await (await fetch('/api/v1/openapi.json')).json())
} catch (error) {
  found.textContent = `Cannot load openapi.json: ${error.message}`
}
