/**
 * Colour that means something: red = refused or wrong, yellow = risky, green = fine, dim = context. Four SGR codes need no
 * library; a library costs more at start than everything else that a short answer prints.
 */
export type Paint = (text: string) => string

export interface Painter {
  red: Paint
  yellow: Paint
  green: Paint
  dim: Paint
  bold: Paint
}

export type ColourWhen = 'auto' | 'always' | 'never'

const plain: Paint = (text) => text
const sgr =
  (on: number, off: number): Paint =>
  (text) =>
    text === '' ? '' : `\x1b[${on}m${text}\x1b[${off}m`

const NO_COLOUR: Painter = { red: plain, yellow: plain, green: plain, dim: plain, bold: plain }
const COLOUR: Painter = { red: sgr(31, 39), yellow: sgr(33, 39), green: sgr(32, 39), dim: sgr(2, 22), bold: sgr(1, 22) }

/** `auto`: on a terminal that is not dumb, unless NO_COLOR is set to something. */
export function painter(
  sink: { isTTY: boolean },
  env: Readonly<Record<string, string | undefined>>,
  when: ColourWhen = 'auto',
): Painter {
  if (when !== 'auto') return when === 'always' ? COLOUR : NO_COLOUR
  const wanted = sink.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  return wanted ? COLOUR : NO_COLOUR
}
