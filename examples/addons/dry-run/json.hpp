// Just enough JSON for the addon protocol: reads one value as RFC 8259 has it, bounded in depth, and quotes a text.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct Json {
  enum class Kind { null, boolean, number, text, list, object };
  using Field = std::pair<std::string, Json>;

  Kind kind = Kind::null;
  bool boolean = false;
  std::string text;  // of a number its digits, as they came
  std::vector<Json> list;
  std::vector<Field> object;  // in the order in which they came

  /** The field of this name; a null where there is none, or this is no object. */
  const Json& operator[](const std::string& name) const {
    static const Json nothing;
    for (const Field& field : object)
      if (field.first == name) return field.second;
    return nothing;
  }
  bool isText() const { return kind == Kind::text; }
  bool isInteger() const {
    return kind == Kind::number && text.find_first_of(".eE") == std::string::npos && text.size() < 18;
  }
  long long integer() const { return std::strtoll(text.c_str(), nullptr, 10); }
};

/** A text as JSON writes it. */
inline std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char raw : text) {
    const auto byte = static_cast<unsigned char>(raw);
    if (raw == '"' || raw == '\\') {
      out += '\\';
      out += raw;
    } else if (byte < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", byte);
      out += escape;
    } else {
      out += raw;
    }
  }
  return out + "\"";
}

class JsonReader {
 public:
  /** Throws std::runtime_error for what is not one JSON value. */
  static Json read(const std::string& source) {
    JsonReader reader(source);
    Json value = reader.value(0);
    reader.skipBlanks();
    if (reader.at_ != source.size()) throw std::runtime_error("there is more than one value");
    return value;
  }

 private:
  static constexpr int maxDepth = 200;
  explicit JsonReader(const std::string& source) : source_(source) {}

  Json value(int depth) {
    if (depth > maxDepth) throw std::runtime_error("it is nested too deep");
    skipBlanks();
    Json json;
    switch (peek()) {
      case '{': readObject(json, depth); break;
      case '[': readList(json, depth); break;
      case '"':
        json.kind = Json::Kind::text;
        json.text = readText();
        break;
      case 't':
        readWord("true");
        json.kind = Json::Kind::boolean;
        json.boolean = true;
        break;
      case 'f':
        readWord("false");
        json.kind = Json::Kind::boolean;
        break;
      case 'n': readWord("null"); break;
      default: readNumber(json);
    }
    return json;
  }

  void readObject(Json& json, int depth) {
    json.kind = Json::Kind::object;
    take('{');
    skipBlanks();
    if (takeIf('}')) return;
    do {
      skipBlanks();
      std::string name = readText();
      skipBlanks();
      take(':');
      json.object.emplace_back(std::move(name), value(depth + 1));
      skipBlanks();
    } while (takeIf(','));
    take('}');
  }

  void readList(Json& json, int depth) {
    json.kind = Json::Kind::list;
    take('[');
    skipBlanks();
    if (takeIf(']')) return;
    do {
      json.list.push_back(value(depth + 1));
      skipBlanks();
    } while (takeIf(','));
    take(']');
  }

  std::string readText() {
    take('"');
    std::string out;
    while (peek() != '"') {
      const char raw = next();
      if (static_cast<unsigned char>(raw) < 0x20) throw std::runtime_error("a control character in a text");
      if (raw == '\\') readEscape(out);
      else out += raw;
    }
    take('"');
    return out;
  }

  void readEscape(std::string& out) {
    const char escape = next();
    switch (escape) {
      case 'b': out += '\b'; break;
      case 'f': out += '\f'; break;
      case 'n': out += '\n'; break;
      case 'r': out += '\r'; break;
      case 't': out += '\t'; break;
      case 'u': appendUtf8(out, readCodePoint()); break;
      case '"': case '\\': case '/': out += escape; break;
      default: throw std::runtime_error("an unknown escape");
    }
  }

  std::uint32_t readCodePoint() {
    const std::uint32_t first = readHex();
    if (first < 0xd800 || first > 0xdfff) return first;
    if (first > 0xdbff || source_.compare(at_, 2, "\\u") != 0) return replacement;
    const std::size_t before = at_;
    at_ += 2;
    const std::uint32_t second = readHex();
    if (second >= 0xdc00 && second <= 0xdfff) return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
    at_ = before;
    return replacement;  // half a pair stands for nothing
  }

  std::uint32_t readHex() {
    std::uint32_t unit = 0;
    for (int digit = 0; digit < 4; digit++) {
      const char raw = next();
      unit = unit * 16;
      if (raw >= '0' && raw <= '9') unit += static_cast<std::uint32_t>(raw - '0');
      else if (raw >= 'a' && raw <= 'f') unit += static_cast<std::uint32_t>(raw - 'a' + 10);
      else if (raw >= 'A' && raw <= 'F') unit += static_cast<std::uint32_t>(raw - 'A' + 10);
      else throw std::runtime_error("an escape that is not four hexadecimal digits");
    }
    return unit;
  }

  static void appendUtf8(std::string& out, std::uint32_t point) {
    const auto byte = [&out](std::uint32_t bits) { out += static_cast<char>(bits); };
    if (point < 0x80) return byte(point);
    if (point < 0x800) {
      byte(0xc0 | (point >> 6));
    } else {
      if (point < 0x10000) {
        byte(0xe0 | (point >> 12));
      } else {
        byte(0xf0 | (point >> 18));
        byte(0x80 | ((point >> 12) & 0x3f));
      }
      byte(0x80 | ((point >> 6) & 0x3f));
    }
    byte(0x80 | (point & 0x3f));
  }

  void readNumber(Json& json) {
    const std::size_t end = source_.find_first_not_of("+-.0123456789eE", at_);
    json.kind = Json::Kind::number;
    json.text = source_.substr(at_, end == std::string::npos ? end : end - at_);
    char* stop = nullptr;
    const double number = std::strtod(json.text.c_str(), &stop);
    if (json.text.empty() || *stop != '\0' || !std::isfinite(number)) throw std::runtime_error("a value is missing");
    at_ += json.text.size();
  }

  void readWord(const std::string& word) {
    if (source_.compare(at_, word.size(), word) != 0) throw std::runtime_error("an unknown word");
    at_ += word.size();
  }

  void skipBlanks() {
    while (at_ < source_.size() && (source_[at_] == ' ' || source_[at_] == '\t' || source_[at_] == '\r')) at_++;
  }
  char peek() const {
    if (at_ >= source_.size()) throw std::runtime_error("it ends too soon");
    return source_[at_];
  }
  char next() {
    const char raw = peek();
    at_++;
    return raw;
  }
  bool takeIf(char wanted) {
    if (at_ >= source_.size() || source_[at_] != wanted) return false;
    at_++;
    return true;
  }
  void take(char wanted) {
    if (!takeIf(wanted)) throw std::runtime_error(std::string("expected ") + wanted);
  }

  static constexpr std::uint32_t replacement = 0xfffd;
  const std::string& source_;
  std::size_t at_ = 0;
};
