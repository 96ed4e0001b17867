/** Checkstyle XML, which many editors and review tools read. */
import { byFile, type FindingsFormat, wholeMessage, xmlText } from './findings-format.ts'

export const checkstyle: FindingsFormat = (report, { files }) => {
  const elements = [...byFile(report, files)].map(([file, findings]) => {
    const errors = findings.map((finding) => {
      const { line, column, severity, rule } = finding
      const place = `line="${line ?? 1}"${column === null ? '' : ` column="${column}"`}`
      const message = xmlText(wholeMessage(finding, report))
      return `    <error ${place} severity="${severity}" message="${message}" source="kubectl-apf.${rule}"/>\n`
    })
    return `  <file name="${xmlText(file)}">\n${errors.join('')}  </file>\n`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<checkstyle version="4.3">\n${elements.join('')}</checkstyle>\n`
}
