/** The states of content controls and form fields, where they are shown without text of their own. */
import { attribute, elementAt, elementsIn, type XmlElement } from "../source/xml.ts";
import { flag } from "./styles.ts";

const boxOf = (isChecked: boolean): string => (isChecked ? "\u2612" : "\u2610");

/** The text at the beginning of a form field of older documents (17.16.17): its state, or the chosen entry. */
export function stateOfFormField(data: XmlElement | undefined): string {
  const checkBox = elementAt(data, "checkBox");
  if (checkBox) return boxOf(flag(checkBox, "checked") ?? flag(checkBox, "default") ?? false);
  const list = elementAt(data, "ddList");
  const chosen = attribute(elementAt(list, "result") ?? elementAt(list, "default"), "val") ?? "0";
  return attribute(elementsIn(list, "listEntry")[Number(chosen)], "val") ?? "";
}

/** The text of a content control without text of its own (17.5.2, and the extension of 2010 for check boxes). */
export function stateOfControl(control: XmlElement): string {
  const properties = elementAt(control, "sdtPr");
  const checkBox = elementAt(properties, "checkbox");
  const list = elementAt(properties, "dropDownList") ?? elementAt(properties, "comboBox");
  const value = attribute(list, "lastValue");
  const item = elementsIn(list, "listItem").find((one) => attribute(one, "value") === value);
  if (checkBox) return boxOf(flag(checkBox, "checked") ?? false);
  const text = list ? (attribute(item, "displayText") ?? value) : attribute(elementAt(properties, "date"), "fullDate");
  return text ?? "";
}
