const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/;

/** Unix time in milliseconds; null for any other form. The day's name is not compared. RFC 9110 §5.6.7 */
export function httpDateMs(text: string): number | null {
  const fields = HTTP_DATE.exec(text);
  const month = MONTHS.indexOf(fields?.[2] ?? '');
  if (fields === null || month === -1) return null;
  const [day, year, hour, minute, second] = [1, 3, 4, 5, 6].map((at) => Number(fields[at]));
  if (year! < 1970 || hour! > 23 || minute! > 59 || second! > 59) return null;
  const at = Date.UTC(year!, month, day!, hour!, minute!, second!);
  return new Date(at).getUTCDate() === day ? at : null;
}
